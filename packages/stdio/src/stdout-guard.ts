import type { Writable } from 'node:stream'

export interface StdoutGuard {
  /** Writes to the real output. */
  readonly write: (text: string, written?: (error?: Error | null) => void) => boolean
  /** Removes the guard. */
  release(): void
}

/**
 * Prevents a stray `console.log` from corrupting the message stream by diverting all other writes from
 * `output` to `diversion`. `console` looks up `write` on each call, so replacing that method also intercepts
 * `console.log`. Writes to the file descriptor cannot be intercepted.
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
  // `end` must be replaced as well, because it does not call `write` and would close the connection.
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
    // If another wrapper has replaced this one, this one must stay in place and let writes through.
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

/** Returns a method of a stream without its overloads, because all arguments are passed on. */
function methodOf(stream: Writable, name: 'write' | 'end'): Method {
  return stream[name] as Method
}
