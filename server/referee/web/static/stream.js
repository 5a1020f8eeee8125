// A stream of server-sent events that survives the server: it says when the connection is lost, and comes back by itself.

const line = document.getElementById("connection");
let lostTimer;

function lost() {
  clearTimeout(lostTimer);
  lostTimer = setTimeout(() => {
    line.textContent = "The connection to the server is lost. What you see is what was last known; trying again …";
    line.hidden = false;
  }, 1500);
}

function back() {
  clearTimeout(lostTimer);
  line.hidden = true;
}

/** Listen to `address`; `parts(value)` gets what has changed, `over()` hears that nothing more will come. */
export function listen(address, parts, over = () => {}) {
  let source, timer;
  let pause = 2000;
  const open = () => {
    source = new EventSource(address);
    source.addEventListener("open", back);
    source.addEventListener("parts", (event) => {
      pause = 2000;
      back();
      parts(JSON.parse(event.data));
    });
    source.addEventListener("over", () => {
      source.close();
      over();
    });
    source.addEventListener("gone", (event) => {
      source.close();
      line.textContent = JSON.parse(event.data).why;
      line.hidden = false;
    });
    source.addEventListener("error", () => {
      lost();
      if (source.readyState === EventSource.CLOSED) {
        // Refused for now (too many watch), or over: a browser gives up then, and we ask again in a while.
        timer = setTimeout(retry, pause);
        pause = Math.min(2 * pause, 30000);
      }
    });
  };
  const retry = async () => {
    try {
      const answer = await fetch(address, { headers: { accept: "text/event-stream" }, method: "HEAD" });
      if (answer.status === 204 || answer.status === 404 || answer.status === 409) {
        back();
        over();
        return;
      }
    } catch {
      // still gone
    }
    open();
  };
  open();
  addEventListener("pagehide", () => { clearTimeout(timer); source.close(); });
  addEventListener("pageshow", (event) => { if (event.persisted) open(); });
}
