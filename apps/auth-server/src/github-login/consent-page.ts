/** What a user is asked to agree to. */
export interface ConsentRequest {
  /** Where the form is sent. */
  readonly action: string
  /** As the client calls itself: anybody can choose it. */
  readonly clientName: string
  /** Where the code goes: only this tells the user who the client is. */
  readonly redirectHost: string
  readonly resource: string
  readonly scopes: readonly string[]
}

/** A page that shows who wants access to what. */
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

/** Other sites must not show the page in a frame, where a user could be led to click a button that they do not see. */
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
