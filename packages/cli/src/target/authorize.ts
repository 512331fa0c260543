import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import process from 'node:process'
import type { AuthProvider } from '@jetway/client'
import { authorizationCode, loopbackRedirect, oauth } from '@jetway/client/oauth'
import type { Terminal } from '../terminal.ts'

/** OAuth in the user's browser. Tokens are kept in memory, for this run only. */
export async function userAuthorization(terminal: Terminal): Promise<AuthProvider> {
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

/** The client registers anew in every run, so the port may differ. */
async function freePort(): Promise<number> {
  const probe = createServer()
  probe.listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
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
