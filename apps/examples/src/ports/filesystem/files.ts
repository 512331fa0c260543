import { randomBytes } from 'node:crypto'
import { chmod, type FileHandle, lstat, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'

const CHUNK_BYTES = 1024
const LF = 0x0a

/** Converts CRLF to LF. */
export const withLf = (text: string) => text.replaceAll('\r\n', '\n')

/** Returns the first lines of a file, without reading much more of the file. */
export async function firstLines(file: string, count: number): Promise<string> {
  await using handle = await open(file)
  const decoder = new StringDecoder('utf8')
  const lines: string[] = []
  let rest = ''
  for await (const chunk of chunksOf(handle)) {
    const parts = (rest + decoder.write(chunk)).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
    if (lines.length >= count) return lines.slice(0, Math.max(0, count)).join('\n')
  }
  rest += decoder.end()
  return (rest === '' ? lines : [...lines, rest]).slice(0, Math.max(0, count)).join('\n')
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES)
    if (bytesRead === 0) return
    yield chunk.subarray(0, bytesRead)
  }
}

/** Returns the last lines of a file. The file is read from its end. */
export async function lastLines(file: string, count: number): Promise<string> {
  await using handle = await open(file)
  const chunks: Buffer[] = []
  let { size: position } = await handle.stat()
  let newlines = 0
  while (position > 0 && newlines < count) {
    const length = Math.min(CHUNK_BYTES, position)
    position -= length
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
    if (bytesRead === 0) break
    chunks.unshift(buffer.subarray(0, bytesRead))
    newlines += buffer.subarray(0, bytesRead).filter((byte) => byte === LF).length
  }
  return withLf(Buffer.concat(chunks).toString()).split('\n').slice(-count).join('\n')
}

/**
 * Creates or replaces a file. Never writes through a symbolic link that was created after the path was checked.
 */
export async function writeText(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    await replaceText(file, text)
  }
}

/** Replaces a file atomically by renaming a new file. Keeps the old file's permissions. */
export async function replaceText(file: string, text: string): Promise<void> {
  const { mode } = await stat(file)
  const temporary = `${file}.${randomBytes(16).toString('hex')}.tmp`
  try {
    await writeFile(temporary, text)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  // The text has already been written, so a failure here must not be reported as a failed write.
  await chmod(file, mode & 0o777).catch(() => {})
}

/** Moves a file or folder. `rename` alone would replace an existing destination. */
export async function move(source: string, destination: string): Promise<void> {
  try {
    await lstat(destination)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return rename(source, destination)
  }
  throw new Error(`Destination already exists: ${destination}`)
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

/** Formats a size for people, for example as `1.50 KB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${Math.max(0, bytes)} B`
  const unit = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  return `${(bytes / 1024 ** unit).toFixed(2)} ${UNITS[unit]}`
}
