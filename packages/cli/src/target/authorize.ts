import { spawn } from 'node:child_process'
import process from 'node:process'
import type { AuthProvider } from '@jetway/client'
import { authorizationCode, loopbackRedirect, oauth } from '@jetway/client/oauth'
import { freePort } from '../server-file/free-port.ts'
import type { Terminal } from '../terminal.ts'

/** Authorizes this client in the user's browser. Keeps tokens in memory, for this run only. */
export async function userAuthorization(terminal: Terminal): Promise<AuthProvider> {
  // The client registers in every run, so the port may change.
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

/**
 * Opens a URL without a shell, because the URL comes from the server. Unlike `start`, `rundll32` does not
 * interpret the URL.
 */
function openInBrowser({ href }: URL): void {
  const [command = '', ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open']
  const child = spawn(command, [...args, href], { stdio: 'ignore', detached: true })
  // The URL is also printed, because there may be no browser.
  child.on('error', () => {})
  child.unref()
}
