import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** The maximum size of a file that this command reads as a whole, in bytes. */
export const MAX_BYTES: number = 64 * 1024 * 1024

/** Thrown for a path that is not a file, or for a file that is too large. */
class UnreadableError extends Error {
  override name = 'UnreadableError'
}

/**
 * Reads a file that the user has not named: a folder from elsewhere may have a named pipe, which never ends, or a link to
 * a device in its place.
 *
 * @param first - the number of bytes to read; by default all
 * @throws UnreadableError, or the error of `node:fs`
 */
export function readRegularFile(path: string, first?: number): Buffer {
  // Without the flag, the call waits until another process writes to the pipe. On Windows it is undefined, thus 0.
  const { O_NONBLOCK, O_RDONLY } = constants
  const file = openSync(path, O_RDONLY | O_NONBLOCK)
  try {
    const stats = fstatSync(file)
    if (stats.isDirectory()) throw new UnreadableError('it is a folder')
    if (!stats.isFile()) throw new UnreadableError('it is a pipe or a device, not a file')
    if (first === undefined && stats.size > MAX_BYTES)
      throw new UnreadableError(`it is larger than ${MAX_BYTES / 1_048_576} MiB`)
    return readBytes(file, Math.min(stats.size, first ?? MAX_BYTES))
  } finally {
    closeSync(file)
  }
}

/** Reads the bytes that the file has now. A file of a device's folder, such as /proc, has none. */
function readBytes(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  let length = 0
  for (;;) {
    const read = readSync(file, bytes, length, size - length, length)
    length += read
    if (read === 0 || length === size) return bytes.subarray(0, length)
  }
}
