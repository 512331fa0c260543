import { writeFileSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector/promises'

/** The time between two samples, in µs. */
const INTERVAL_MICROS = 200

/** The samples of one CPU profile. */
export interface ProfileShares {
  /** The samples at which the process was not idle. They include garbage collections and native code. */
  readonly busy: number
  /** The samples in the native functions that write to a socket. */
  readonly write: number
}

/** The native functions of Node's streams that write. A profile has no URL for them. */
const WRITES = new Set(['writev', 'writeBuffer', 'writeUtf8String', 'writeLatin1String', 'writeAsciiString'])

/**
 * Counts samples instead of adding up the time between them. A process that waits for its processor gets only
 * one sample, however long it waits, so other work on the machine does not count.
 */
export function sharesOf({ nodes }: Pick<Profiler.Profile, 'nodes'>): ProfileShares {
  let busy = 0
  let write = 0
  for (const { callFrame, hitCount = 0 } of nodes) {
    if (callFrame.functionName === '(idle)') continue
    busy += hitCount
    if (callFrame.url === '' && WRITES.has(callFrame.functionName)) write += hitCount
  }
  return { busy, write }
}

/**
 * Starts a CPU profile of this process. Returns a function that ends it, and writes it to a file if a name is
 * given.
 */
export async function startProfile(): Promise<(file: string | undefined) => Promise<ProfileShares>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS })
  await session.post('Profiler.start')
  return async (file) => {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    if (file !== undefined) writeFileSync(file, JSON.stringify(profile))
    return sharesOf(profile)
  }
}
