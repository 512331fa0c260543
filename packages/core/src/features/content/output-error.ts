/**
 * A handler returned what cannot be sent. An author's mistake: it goes to the log, and the peer reads a generic text.
 */
export class OutputError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutputError'
  }
}

/**
 * The value as JSON text.
 *
 * @throws OutputError naming its source, for a value that JSON has no text for
 */
export function stringify(value: unknown, source: string): string {
  const json = tryStringify(value, source)
  if (json === undefined)
    throw new OutputError(`${source} returned a value of type ${typeof value}, which JSON cannot carry`)
  return json
}

/** As {@link stringify}, but undefined for what JSON leaves out. */
export function tryStringify(value: unknown, source: string): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new OutputError(`${source} returned a value that JSON cannot carry`, { cause })
  }
}
