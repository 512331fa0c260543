import type { Readable } from 'node:stream'

/** What of a line is handed on, in UTF-16 units. */
const MAX_LINE = 8_192

/** Hands a stream on line by line. A line without an end costs no more than the part of it that is kept. */
export function readLines(stream: Readable, listener: (line: string) => void): void {
  let rest = ''
  const emit = (line: string): void => {
    try {
      listener(line.endsWith('\r') ? line.slice(0, -1) : line)
    } catch {
      // A host that cannot take a line must not lose its connection for it.
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
  // A broken pipe of stderr is nobody's loss.
  stream.on('error', () => {})
}
