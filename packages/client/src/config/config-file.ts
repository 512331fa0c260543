import { constants, type FileHandle, open } from 'node:fs/promises'

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

/** Paths that a shell uses to pass a program's output, as in `--config <(program)`. */
const OF_SHELL = /^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/self\/fd\/\d+)$/

/**
 * Reads the file that the caller named, which may be a pipe from a shell. @throws the errors of `readTextFile`
 */
export const readNamedFile = (file: string, maxBytes: number): Promise<string> =>
  readText(file, maxBytes, OF_SHELL.test(file) ? open(file) : openRegular(file))

/**
 * Reads a text file. @throws ConfigFileError if it is not a regular file, is longer than `maxBytes`, or is not
 * UTF-8
 */
export const readTextFile = (file: string, maxBytes: number): Promise<string> =>
  readText(file, maxBytes, openRegular(file))

/** Opens a file. A named pipe or a device is rejected, because it may never end. */
async function openRegular(file: string): Promise<FileHandle> {
  // Without this flag, the call waits until another process writes to the pipe. On Windows, the flag is
  // undefined and becomes 0.
  const { O_NONBLOCK, O_RDONLY } = constants
  const handle = await open(file, O_RDONLY | O_NONBLOCK)
  const stats = await handle.stat()
  if (stats.isFile() || stats.isDirectory()) return handle
  await handle.close()
  throw new ConfigFileError(file, 'is a pipe or a device, not a file')
}

async function readText(file: string, maxBytes: number, opening: Promise<FileHandle>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    const handle = await opening
    // Reads one byte more than allowed. A size determined in advance would be incorrect for pipes and growing
    // files.
    for await (const chunk of handle.createReadStream({ end: maxBytes }) as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.byteLength
    }
  } catch (error) {
    if (error instanceof ConfigFileError) throw error
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
 * Parses the text. The error contains the position but not the text, which may contain secrets.
 * @throws ConfigFileError
 */
export async function parseJsonc(file: string, text: string): Promise<unknown> {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // The text may contain comments or trailing commas.
  }
  const { evaluate, parse } = await import('@humanwhocodes/momoa')
  try {
    return evaluate(parse(text, { mode: 'jsonc', allowTrailingCommas: true }))
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigFileError(file, 'is nested too deeply')
    const { line, column } = error as { readonly line?: number; readonly column?: number }
    throw new ConfigFileError(file, `is not valid JSON: see line ${line}, column ${column}`)
  }
}
