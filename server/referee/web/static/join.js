// Joining with an invitation: the code and a name go to the server, and the new bot's token is shown once.
const form = document.getElementById("join");
const code = document.getElementById("code");
const said = document.getElementById("said");
const token = document.getElementById("token");

// A link has the code behind '#', which browsers send to no server. It leaves the address bar and the history, too.
if (location.hash.length > 1) {
  code.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
  document.getElementById("name").focus();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = document.getElementById("name").value.trim();
  try {
    const answer = await fetch("/api/v1/invitations/redeem", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code: code.value.trim(), name }),
    });
    const value = await answer.json();
    if (!answer.ok) throw new Error(value.error);
    said.textContent = `${value.name} is registered. Its token, shown this once:`;
    token.textContent = `export REFEREE_TOKEN=${value.token}`;
    token.hidden = false;
    token.focus();
    form.querySelector("button").disabled = true;
  } catch (error) {
    said.textContent = error.message;
  }
});
