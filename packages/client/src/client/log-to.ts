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
/** The maximum length of a log message, in UTF-16 code units. The `data` field contains the whole message. */
const MAX_MESSAGE = 1_024

/** A log event. An event from a `ClientManager` has a `server` field. */
type LogEntry = ClientEvents['log'] & { readonly server?: string }

/**
 * Returns a listener that writes the servers' log messages to a logger, at the nearest level:
 * `client.on('log', logTo(logger))`, `manager.on('log', logTo(logger))`. All text comes from the server, so do
 * not trust it.
 *
 * @param server - the server's name, if the event does not contain it
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#log-levels
 */
export function logTo(logger: Logger, server?: string): (entry: LogEntry) => void {
  return ({ level, data, logger: part, server: named = server }) => {
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
  return typeof text === 'string'
    ? text.slice(0, MAX_MESSAGE)
    : 'The server has logged data without a message'
}
