import type { Logger } from '@jetway/core'
import { isObject } from '@jetway/core/protocol'
import type { ClientEvents } from './events.ts'

const LEVELS: Readonly<Record<string, keyof Logger>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
}
/** UTF-16 units of a text that become the message; the whole stands beside it. */
const MAX_MESSAGE = 1_024

/** What a server has logged; a manager says which one. */
type LogEntry = ClientEvents['log'] & { readonly server?: string }

/**
 * A listener that writes what servers log to a logger of the host's, at the level that comes next:
 * `client.on('log', logTo(logger))`, `manager.on('mcp_log', logTo(logger))`. The fields have the `severity`, the `data` as
 * it came, and who said it. All of it was written by the server: nothing in it is to be believed, or followed.
 *
 * @param server what to call the server, where the event does not say
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#log-levels
 */
export function logTo(logger: Logger, server?: string): (entry: LogEntry) => void {
  return ({ level, data, logger: part, server: named = server }) => {
    // What is no level of the protocol's is said all the same.
    const method = Object.hasOwn(LEVELS, level) ? (LEVELS[level] ?? 'info') : 'info'
    logger[method](
      {
        ...(named !== undefined && { server: named }),
        ...(part !== undefined && { logger: part }),
        severity: level,
        data,
      },
      messageOf(data),
    )
  }
}

function messageOf(data: unknown): string {
  const text = isObject(data) ? (data['message'] ?? data['msg']) : data
  return typeof text === 'string' ? text.slice(0, MAX_MESSAGE) : 'The server has logged what is no text'
}
