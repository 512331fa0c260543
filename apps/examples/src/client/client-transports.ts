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
/** Calls a tool in the saved session, or in a new one. Returns the session for the next call. */
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
/** A local server. Its stderr goes to a separate log. */
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
/** Connects to a local or remote server, as described in a file or a form. */
export function connectAs(config: ServerConfig): Promise<Client> {
  return connect(config, { info: { name: 'my-host', version: '1.0.0' } })
}
// #endregion

// #region file
/** Returns the names of the valid servers in a host's file. Problems with other servers are logged. */
export async function serversOf(file: string, log: (line: string) => void): Promise<readonly string[]> {
  const { servers, problems } = await loadConfig(file)
  for (const { severity, message } of problems) log(`${severity}: ${message}`)
  return Object.keys(servers)
}
// #endregion
