/** A handler returned a value that cannot be sent. It is logged, and the peer gets a generic text. */
export class OutputError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutputError'
  }
}

/** @throws OutputError for a value that JSON cannot represent */
export function stringify(value: unknown, source: string): string {
  const json = tryStringify(value, source)
  if (json === undefined)
    throw new OutputError(`${source} returned a value of type ${typeof value}, which JSON cannot carry`)
  return json
}

/** As {@link stringify}, but undefined for a value that JSON leaves out. */
export function tryStringify(value: unknown, source: string): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new OutputError(`${source} returned a value that JSON cannot carry`, { cause })
  }
}
