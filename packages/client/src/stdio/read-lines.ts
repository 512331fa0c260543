import type { Readable } from 'node:stream'

/** The maximum length of a line, in UTF-16 code units. */
const MAX_LINE = 8_192

/** Splits a stream into lines. Lines that are too long are truncated. */
export function readLines(stream: Readable, listener: (line: string) => void): void {
  let rest = ''
  const emit = (line: string): void => {
    try {
      listener(line.endsWith('\r') ? line.slice(0, -1) : line)
    } catch {
      // A listener that throws must not end the connection.
    }
  }
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = chunk.split('\n')
    lines[0] = (rest + (lines[0] ?? '')).slice(0, MAX_LINE)
    rest = (lines.pop() ?? '').slice(0, MAX_LINE)
    for (const line of lines) emit(line.slice(0, MAX_LINE))
  })
  stream.on('end', () => {
    if (rest !== '') emit(rest)
  })
  stream.on('error', () => {})
}
