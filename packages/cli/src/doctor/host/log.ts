import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Host } from '../../hosts/host.ts'
import { type Place, settingsFolder } from '../../hosts/place.ts'
import type { Finding } from '../finding.ts'
import { clip, ok, skipped, warning } from '../verdicts.ts'

const CHECK = 'log'
const MAX_BYTES = 64 * 1024
const QUOTED_LINES = 3
const QUOTED_LENGTH = 300
/** The line that begins the log of each server start. */
const START = /Initializing server/
const ERROR = /\[error\]|\b\w*Error\b: |\bENOENT\b/

/**
 * Reports the last errors that a host logged for a server. Only Claude Desktop has a separate log file for each
 * server.
 */
export async function checkLog(host: Host, server: string, place: Place): Promise<readonly Finding[]> {
  if (host.id !== 'claude-desktop') return []
  const file = join(logFolder(place), `mcp-server-${server}.log`)
  const tail = await readTail(file)
  if (tail === undefined) return [skipped(CHECK, `There is no log ${file}`)]
  const lines = tail.split('\n')
  const start = lines.findLastIndex((line) => START.test(line))
  const errors = lines.slice(Math.max(0, start)).filter((line) => ERROR.test(line))
  if (errors.length === 0) return [ok(CHECK, `The last start has no errors in ${file}`)]
  const quoted = errors.slice(-QUOTED_LINES).map((line) => clip(line, QUOTED_LENGTH))
  return [
    warning(
      CHECK,
      [`${host.title} has logged for its last start:`, ...quoted].join('\n'),
      `If this is still so after a restart of ${host.title}, see ${file}`,
    ),
  ]
}

// https://modelcontextprotocol.io/docs/tools/debugging
function logFolder(place: Place): string {
  return place.platform === 'darwin'
    ? join(place.home, 'Library', 'Logs', 'Claude')
    : join(settingsFolder(place), 'Claude', 'logs')
}

/** Reads the end of a file, starting with a complete line. Resolves to undefined if the file does not exist. */
async function readTail(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const { size } = await file.stat()
    const from = Math.max(0, size - MAX_BYTES)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MAX_BYTES), position: from })
    const text = buffer.toString('utf8', 0, bytesRead)
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1)
  } finally {
    await file.close()
  }
}
