import { usageError } from '../errors.ts'
import { notificationFrame } from '../protocol/jsonrpc.ts'
import { Notification } from '../protocol/methods.ts'
import { LOG_LEVELS, type LogLevel } from '../protocol/types.ts'

/** Sends `notifications/message` to the client if the level is at least the one that the client has set. */
export type LogSender = { readonly [level in LogLevel]: (data: unknown, logger?: string) => void }

/** If the data cannot be serialised, the frame contains a placeholder, so that the handler does not fail. */
export function logFrame(named: { readonly level: LogLevel }, data: unknown): string {
  try {
    // Functions and symbols have no JSON form, but a message must have data.
    const serialisable = JSON.stringify(data) === undefined ? null : data
    return notificationFrame(Notification.Message, { ...named, data: serialisable })
  } catch {
    return notificationFrame(Notification.Message, { ...named, data: '[data that cannot be serialised]' })
  }
}

/** Returns whether a client that has set the level `set` receives messages with another level. */
export const reachesLevel = (level: LogLevel, set: LogLevel | undefined): boolean =>
  set !== undefined && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(set)

export function createLogSender(
  send: (level: LogLevel, data: unknown, logger: string | undefined) => void,
): LogSender {
  const entries = LOG_LEVELS.map((level) => [
    level,
    (data: unknown, logger?: string) => send(level, data, logger),
  ])
  const notCalled = (): never => {
    throw usageError('ERR_MCP_OPTION', "log has a method for each level, such as log.info('text')")
  }
  return Object.assign(notCalled, Object.fromEntries(entries) as LogSender)
}
