import type { ServerConfig } from '@jetway/client/config'
import { type Approve, ClientManager } from '@jetway/client/manager'

const host = { name: 'my-host', version: '1.0.0' }

// #region connect
/** Makes the same call to all servers, and returns the results. */
export async function askAll(
  servers: Readonly<Record<string, ServerConfig>>,
  question: string,
  log: (line: string) => void,
): Promise<readonly string[]> {
  await using manager = new ClientManager(host)
  const { connected, errors } = await manager.connectAll(servers)
  log(`${connected} servers are connected`)
  for (const { server, error } of errors) log(`${server} is not: ${error.message}`)
  const answers: string[] = []
  for (const { name, tool } of await manager.tools()) {
    if (tool.name !== 'ask') continue
    const { content } = await manager.callTool(name, { question })
    for (const block of content) if (block.type === 'text') answers.push(`${name}: ${block.text}`)
  }
  return answers
}
// #endregion

// #region limits
/** A manager for a model that accepts only short names. The model can read files, but not delete them. */
export const careful = (approve: Approve): ClientManager =>
  new ClientManager(host, {
    maxNameLength: 64,
    filters: { files: { allow: ['read_*', 'list_*'], deny: ['*secret*'] }, shell: { deny: ['*'] } },
    approve,
  })
// #endregion

// #region approve
/** The user must approve programs and calls. Questions from servers have their own dialog. */
export function asking(confirm: (text: string, signal: AbortSignal) => Promise<boolean>): Approve {
  return async ({ kind, server, detail, signal }) => {
    if (kind === 'elicit') return true
    if (kind === 'sample') return confirm(`Let ${server} use your model?`, signal)
    if (kind === 'call')
      return confirm(`Call ${detail.tool} of ${server} with ${JSON.stringify(detail.args)}?`, signal)
    return confirm(`Start ${JSON.stringify([detail.command, ...detail.args])} for ${server}?`, signal)
  }
}
// #endregion

// #region signals
// A process that a signal ends closes nothing. A server that ignores the end of its input would run on.
export function closeOnSignals(manager: ClientManager): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      void manager.closeAll().finally(() => process.kill(process.pid, signal))
    })
}
// #endregion

// #region events
/** Reports added and removed servers. */
export function watch(manager: ClientManager, log: (line: string) => void): void {
  manager.on('reconnecting', ({ server, attempt, maxAttempts: max }) =>
    log(`${server}: attempt ${attempt} of ${max}`),
  )
  manager.on('reconnectFailed', ({ server, error }) => log(`${server}: ${error.message}`))
  manager.on('reconnected', ({ server }) => log(`${server} is back`))
  manager.on('serverRemoved', ({ server, reason }) => log(`${server} is gone: ${reason}`))
}
// #endregion
