import type { Contender } from './contenders.ts'
import { openSessions } from './load/http-session.ts'
import { ServerProcess } from './server-process.ts'

/** The resident memory of one idle session, in KB. */
export interface SessionMemory {
  readonly name: string
  readonly title: string
  readonly sessions: number
  readonly kilobytes: number
}

/** The number of sessions opened before the first measurement, so that one-time allocations are not counted. */
const WARM = 500

export async function measureSessionMemory(
  contenders: readonly Contender[],
  count: number,
): Promise<SessionMemory[]> {
  const rows: SessionMemory[] = []
  for (const contender of contenders) {
    const server = await ServerProcess.start(contender)
    // Fewer sessions are opened for the official SDK, because each one needs a hundred times as much memory and
    // time.
    const sessions = contender.name.startsWith('sdk') ? Math.ceil(count / 10) : count
    await openSessions(server.port, Math.min(WARM, sessions))
    const before = await server.memoryBytes()
    await openSessions(server.port, sessions)
    const bytes = (await server.memoryBytes()) - before
    await server.stop()
    rows.push({
      name: contender.name,
      title: contender.title,
      sessions,
      kilobytes: bytes / sessions / 1024,
    })
  }
  return rows
}
