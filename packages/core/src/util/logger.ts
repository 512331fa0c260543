/**
 * The part of pino's interface that Jetway uses. Loggers such as pino, Fastify's logger and consola conform
 * to it.
 */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A logger that never throws. */
export function safeLogger(logger: Logger): Logger {
  const log =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      try {
        logger[level](fields, message)
      } catch {
        // There is nowhere else to report this error.
      }
    }
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
}

/**
 * Writes warnings and errors to stderr. `console.error` never writes to stdout, which the stdio transport
 * uses for messages.
 */
export const stderrLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: (fields, message) => console.error(line('warn', fields, message)),
  error: (fields, message) => console.error(line('error', fields, message)),
}

function line(level: string, fields: object, message: string): string {
  const details = Object.entries(fields).map(([key, value]) => ` ${key}=${describe(value)}`)
  return `[jetway] ${level}: ${message}${details.join('')}`
}

// Escapes control characters, which would let logged data forge lines or control the terminal.
const escapeControls = (text: string): string =>
  text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/**
 * Indents the lines of a stack trace, so that none of them can be mistaken for the first line of another
 * message.
 */
const stackOf = (error: Error): string =>
  (error.stack ?? String(error)).slice(0, 8192).split('\n').map(escapeControls).join('\n    ')

function describe(value: unknown): string {
  try {
    if (value instanceof Error) return stackOf(value)
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return escapeControls(String(text)).slice(0, 8192)
  } catch {
    return '[unprintable]'
  }
}
