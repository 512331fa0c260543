import { createReadStream } from 'node:fs'

/** A file that could not be read as a whole. What is wrong with one server of it is a problem of that server alone. */
export class ConfigFileError extends Error {
  readonly file: string

  constructor(file: string, message: string, options?: ErrorOptions) {
    super(`${file} ${message}`, options)
    this.name = 'ConfigFileError'
    this.file = file
  }
}

/**
 * The text of a file of UTF-8.
 *
 * @throws ConfigFileError where it cannot be read, is longer than `maxBytes`, or is no text
 */
export async function readTextFile(file: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    // One byte more than may be there: sizes that are asked for before are wrong for pipes and for files that grow.
    for await (const chunk of createReadStream(file, { end: maxBytes }) as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.byteLength
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new ConfigFileError(file, `cannot be read: ${code}`, { cause: error })
  }
  if (size > maxBytes) throw new ConfigFileError(file, `is longer than ${maxBytes} bytes`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new ConfigFileError(file, 'is not UTF-8: save it in that encoding')
  }
}

/**
 * Reads JSON as hosts do, with comments and trailing commas. A place is told where it ends early, and never what stands
 * there: it may be a key.
 *
 * @throws ConfigFileError
 */
export async function parseJsonc(file: string, text: string): Promise<unknown> {
  const { evaluate, parse } = await import('@humanwhocodes/momoa')
  try {
    return evaluate(parse(text, { mode: 'jsonc', allowTrailingCommas: true }))
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigFileError(file, 'is nested too deeply')
    const { line, column } = error as { readonly line?: number; readonly column?: number }
    throw new ConfigFileError(file, `is not valid JSON, as of line ${line}, column ${column}`)
  }
}
