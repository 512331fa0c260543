/** The access that a client requests, for which it needs the user's consent. */
export interface ConsentRequest {
  /** The address to which the form is sent. */
  readonly action: string
  /** The name that the client gives itself. Anyone can choose any name. */
  readonly clientName: string
  /** The address that receives the code. It is the only reliable way for the user to identify the client. */
  readonly redirectHost: string
  readonly resource: string
  readonly scopes: readonly string[]
}

/** Returns a page that shows the client and the access that it requests. */
export const consentPage = ({ action, clientName, redirectHost, resource, scopes }: ConsentRequest): string =>
  `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>Allow access?</title>
  <h1>Allow access?</h1>
  <p><strong>${escape(clientName)}</strong> wants access to <strong>${escape(resource)}</strong>.</p>
  <p>It receives the answer at <strong>${escape(redirectHost)}</strong>.</p>
  <ul>${scopes.map((scope) => `<li>${escape(scope)}</li>`).join('')}</ul>
  <form method="post" action="${escape(action)}">
    <button name="answer" value="allow">Allow</button>
    <button name="answer" value="deny">Deny</button>
  </form>
</html>
`

/** Frames are forbidden, because otherwise another site could trick users into clicking a hidden button. */
export const CONSENT_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
} as const

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escape = (text: string): string => text.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? '')
