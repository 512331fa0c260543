type Level = 'debug' | 'info' | 'warn' | 'error'
type Log = (fields: object, message: string) => void

/** A logger that discards everything. */
export const silent: Readonly<Record<Level, Log>> = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
}

/** A logger that stores warnings and errors for the test. */
export interface LogLines extends Readonly<Record<Level, Log>> {
  /** The lines, such as `warn: A call was ended`. */
  readonly lines: readonly string[]
}

export function logLines(): LogLines {
  const lines: string[] = []
  const keep =
    (level: Level): Log =>
    (_fields, message) =>
      void lines.push(`${level}: ${message}`)
  return { ...silent, warn: keep('warn'), error: keep('error'), lines }
}
