import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** The maximum size of a file that this command reads completely, in bytes. */
export const MAX_BYTES: number = 64 * 1024 * 1024

/** Thrown for a path that is not a regular file, and for a file that is too large. */
class UnreadableError extends Error {
  override name = 'UnreadableError'
}

/**
 * Safely reads a file that the user has not named. If the folder comes from an unknown source, the path may
 * be a named pipe, which never ends, or a link to a device.
 *
 * @param first - the number of bytes to read. By default, all bytes are read
 * @throws UnreadableError, or the error of `node:fs`
 */
export function readRegularFile(path: string, first?: number): Buffer {
  // Without this flag, the call waits until another process writes to the pipe. On Windows, the flag is
  // undefined and becomes 0.
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

/**
 * Reads the bytes that the file has now. A file in a virtual folder such as /proc has a size of 0, so nothing
 * is read.
 */
function readBytes(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  let length = 0
  for (;;) {
    const read = readSync(file, bytes, length, size - length, length)
    length += read
    if (read === 0 || length === size) return bytes.subarray(0, length)
  }
}
