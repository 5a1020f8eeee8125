// Nonces: this bot's part in the drawing of a tournament's deals, so that the host alone cannot choose them.

package arena

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/referee-arena/referee/sdk/go/arenav1"
)

const nonceBytes = 32

// nonces holds what this bot has drawn, by tournament and draw. It outlives a lost connection.
type nonces map[drawing]*drawn

type drawing struct {
	tournament string
	draw       uint32
}

type drawn struct {
	nonce [nonceBytes]byte
	shown []string // names and commitments as they were when the nonce was told
}

// answer is what to say to a call; nil if there is nothing to say.
func (n nonces) answer(call *arenav1.Nonces) *arenav1.Nonce {
	key := drawing{call.GetTournament(), call.GetDraw()}
	said := &arenav1.Nonce{Tournament: key.tournament, Draw: key.draw}
	mine := n[key]
	switch call.GetStep() {
	case arenav1.NonceStep_NONCE_STEP_COMMIT:
		if mine == nil {
			mine = &drawn{}
			rand.Read(mine.nonce[:]) // it never fails
			n[key] = mine
		}
		said.Commitment = mine.commitment(key)
		return said
	case arenav1.NonceStep_NONCE_STEP_REVEAL:
		if mine == nil {
			return nil
		}
		shown := promised(call)
		listed := slices.Contains(shown, mine.commitment(key))
		// Told once: to a second list of commitments, which might have been made for this nonce, nothing is said.
		if !listed || mine.shown != nil && !slices.Equal(mine.shown, shown) {
			return nil
		}
		mine.shown = shown
		said.Nonce = hex.EncodeToString(mine.nonce[:])
		return said
	}
	return nil
}

// broken tells whether what was fixed lacks this bot's nonce, or has other commitments than those to which it was told.
func (n nonces) broken(call *arenav1.Nonces) bool {
	mine := n[drawing{call.GetTournament(), call.GetDraw()}]
	if call.GetStep() != arenav1.NonceStep_NONCE_STEP_FIXED || mine == nil {
		return false
	}
	return !slices.Equal(mine.shown, promised(call)) || !slices.ContainsFunc(call.GetEntrants(), func(entrant *arenav1.EntrantNonce) bool {
		return entrant.GetNonce() == hex.EncodeToString(mine.nonce[:])
	})
}

func promised(call *arenav1.Nonces) (list []string) {
	for _, entrant := range call.GetEntrants() {
		list = append(list, entrant.GetName(), entrant.GetCommitment())
	}
	return list
}

// commitment is the SHA-256 (hex) over a label, the tournament, the draw and the nonce, each behind its length in four
// bytes.
func (d *drawn) commitment(of drawing) string {
	sum := sha256.New()
	draw := strconv.FormatUint(uint64(of.draw), 10)
	for _, part := range [][]byte{[]byte("referee nonce"), []byte(of.tournament), []byte(draw), d.nonce[:]} {
		sum.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part))))
		sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
