import type { Writable } from 'node:stream'

export interface StdoutGuard {
  /** Writes to the real output. */
  readonly write: (text: string, written?: (error?: Error | null) => void) => boolean
  /** Removes the guard. */
  release(): void
}

/**
 * Keeps a stray `console.log` from corrupting the message stream: everything else that is written to `output`
 * goes to `diversion`. `console` looks up `write` at each call, so replacing that method catches it too.
 * Writes to the file descriptor cannot be caught.
 */
export function guardStdout(output: Writable, diversion: Writable, onStray: () => void): StdoutGuard {
  const write = methodOf(output, 'write')
  const end = methodOf(output, 'end')
  const owned = { write: Object.hasOwn(output, 'write'), end: Object.hasOwn(output, 'end') }
  let standing = true
  let noticed = false
  const stray = (): void => {
    if (noticed) return
    noticed = true
    onStray()
  }
  const guardedWrite = (...args: unknown[]): boolean => {
    if (!standing) return write.apply(output, args) as boolean
    stray()
    return methodOf(diversion, 'write').apply(diversion, args) as boolean
  }
  // `end` does not call `write`, and would end the connection.
  const guardedEnd = (...args: unknown[]): Writable => {
    if (!standing) return end.apply(output, args) as Writable
    stray()
    const [chunk, encoding] = args
    if (chunk !== undefined && chunk !== null && typeof chunk !== 'function') {
      diversion.write(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
    }
    const ended = args.find((arg): arg is () => void => typeof arg === 'function')
    if (ended !== undefined) queueMicrotask(ended)
    return output
  }
  output.write = guardedWrite as typeof output.write
  output.end = guardedEnd as typeof output.end

  const restore = (name: 'write' | 'end', guarded: unknown, original: unknown): void => {
    // Another wrapper may be around this one; then it stays, and passes through.
    if (output[name] !== guarded) return
    if (owned[name]) Object.assign(output, { [name]: original })
    else Reflect.deleteProperty(output, name)
  }
  return {
    write: (text, written) =>
      write.apply(output, written === undefined ? [text] : [text, written]) as boolean,
    release() {
      standing = false
      restore('write', guardedWrite, write)
      restore('end', guardedEnd, end)
    },
  }
}

type Method = (this: Writable, ...args: readonly unknown[]) => unknown

/** The overloads of a stream's methods do not matter: all arguments are passed on. */
function methodOf(stream: Writable, name: 'write' | 'end'): Method {
  return stream[name] as Method
}
