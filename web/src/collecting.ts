/** Sends finished conversations to the address that the owner of a published page has set, if the person lets it. */

const REFUSED = "rather:refused";
const SENT = "rather:sent:";

/** Whether the person does not want answers to be sent. */
export function isRefused(): boolean {
  try {
    return localStorage.getItem(REFUSED) !== null;
  } catch {
    return true; // where that cannot be stored, nothing is sent
  }
}

export function setRefused(refused: boolean): void {
  try {
    if (refused) localStorage.setItem(REFUSED, "yes");
    else localStorage.removeItem(REFUSED);
  } catch {
    // Then nothing is sent in any case.
  }
}

/** Send the log of a conversation, once. */
export async function collected(address: string, session: string, log: () => Promise<unknown>): Promise<void> {
  if (isRefused() || localStorage.getItem(SENT + session) !== null) return;
  const body = JSON.stringify(await log());
  if (isRefused()) return;
  localStorage.setItem(SENT + session, "yes");
  try {
    const headers = { "Content-Type": "application/json" };
    const reply = await fetch(address, { method: "POST", body, headers, credentials: "omit", referrerPolicy: "no-referrer" });
    if (!reply.ok) localStorage.removeItem(SENT + session);
  } catch {
    localStorage.removeItem(SENT + session); // without a connection: the next time that results are shown
  }
}
