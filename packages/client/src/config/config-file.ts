import { createReadStream } from 'node:fs'

/**
 * Thrown if the file as a whole cannot be read. A problem with one server is reported as a `ConfigProblem`
 * instead.
 */
export class ConfigFileError extends Error {
  readonly file: string

  constructor(file: string, message: string, options?: ErrorOptions) {
    super(`${file} ${message}`, options)
    this.name = 'ConfigFileError'
    this.file = file
  }
}

/** Reads a text file. @throws ConfigFileError if it cannot be read, is longer than `maxBytes`, or is not UTF-8 */
export async function readTextFile(file: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    // Reads one byte more than allowed. A size determined beforehand would be wrong for pipes and growing
    // files.
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
    throw new ConfigFileError(file, 'is not UTF-8: save it as UTF-8')
  }
}

/**
 * Parses the text. The error contains the position but not the text, which may be secret.
 * @throws ConfigFileError
 */
export async function parseJsonc(file: string, text: string): Promise<unknown> {
  const { evaluate, parse } = await import('@humanwhocodes/momoa')
  try {
    return evaluate(parse(text, { mode: 'jsonc', allowTrailingCommas: true }))
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigFileError(file, 'is nested too deeply')
    const { line, column } = error as { readonly line?: number; readonly column?: number }
    throw new ConfigFileError(file, `is not valid JSON: see line ${line}, column ${column}`)
  }
}
