import { bearerToken, Client, type SavedSession } from '@jetway/client'
import { connect, loadConfig, type ServerConfig } from '@jetway/client/config'
import { http } from '@jetway/client/http'
import { childProcess } from '@jetway/client/stdio'

// #region http
export async function connectTo(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'my-host', version: '1.0.0' })
  return client.connect(http(url, { auth: bearerToken(token) }))
}
// #endregion

// #region session
/** Asks once, in the session that was kept if there is one, and keeps the session for the next time. */
export async function askOnce(
  url: string,
  tool: string,
  kept?: SavedSession,
): Promise<{ readonly content: readonly unknown[]; readonly session: SavedSession | undefined }> {
  await using client = new Client({ name: 'my-host', version: '1.0.0' })
  await client.connect(http(url, { endSession: false }), kept === undefined ? {} : { session: kept })
  const { content } = await client.callTool(tool)
  return { content, session: client.session }
}
// #endregion

// #region process
/** A server of this machine. What it writes to stderr is handed to a log of its own. */
export async function run(script: string, log: (line: string) => void): Promise<Client> {
  const client = new Client({ name: 'my-host', version: '1.0.0' })
  return client.connect(
    childProcess({
      command: process.execPath,
      args: [script],
      env: { SHOP_API_KEY: process.env['SHOP_API_KEY'] ?? '' },
      stderr: log,
    }),
  )
}
// #endregion

// #region config
/** A server of either kind, as a file or a form may describe it. */
export function connectAs(config: ServerConfig): Promise<Client> {
  return connect(config, { info: { name: 'my-host', version: '1.0.0' } })
}
// #endregion

// #region file
/** The names of the servers of a host's file that can be used; what is wrong with the others goes to a log. */
export async function serversOf(file: string, log: (line: string) => void): Promise<readonly string[]> {
  const { servers, problems } = await loadConfig(file)
  for (const { severity, message } of problems) log(`${severity}: ${message}`)
  return Object.keys(servers)
}
// #endregion
