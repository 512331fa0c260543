import { spawn } from 'node:child_process'
import process from 'node:process'
import type { AuthProvider } from '@jetway/client'
import { authorizationCode, loopbackRedirect, oauth } from '@jetway/client/oauth'
import { freePort } from '../server-file/free-port.ts'
import type { Terminal } from '../terminal.ts'

/** OAuth in the user's browser. Tokens are kept in memory, for this run only. */
export async function userAuthorization(terminal: Terminal): Promise<AuthProvider> {
  // The client registers anew in every run, so the port may differ.
  const port = await freePort()
  return oauth({
    grant: authorizationCode(
      loopbackRedirect({
        port,
        open(url) {
          terminal.note(`The server needs authorization. If no browser opens, open this URL:\n  ${url.href}`)
          openInBrowser(url)
        },
      }),
    ),
    registration: { clientName: 'jetway' },
  })
}

/** The URL comes from the server: no shell gets it. `rundll32` takes it as it is, unlike `start`. */
function openInBrowser({ href }: URL): void {
  const [command = '', ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open']
  const child = spawn(command, [...args, href], { stdio: 'ignore', detached: true })
  // There may be no browser: the URL is printed too.
  child.on('error', () => {})
  child.unref()
}
