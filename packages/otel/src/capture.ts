import type { JsonObject } from '@jetway/core/protocol'
import type { Span } from '@opentelemetry/api'
import type { CaptureOptions } from './options.ts'

const MAX_BYTES = 4_096
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Returns the text to record for a tool's arguments or result, or undefined to record nothing. */
export function captured(
  { maxBytes = MAX_BYTES, redact }: CaptureOptions,
  { kind, tool, value }: { kind: 'arguments' | 'result'; tool: string; value: JsonObject | undefined },
): string | undefined {
  if (value === undefined) return undefined
  const text = JSON.stringify(value)
  const kept = redact === undefined ? text : redact(kind, tool, text)
  return kept === undefined ? undefined : cut(kept, maxBytes)
}

export function setText(span: Span | undefined, name: string, text: string | undefined): void {
  if (text !== undefined) span?.setAttribute(name, text)
}

/** Truncates a string to a number of bytes without splitting a character. */
function cut(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text
  const target = new Uint8Array(maxBytes)
  const { written } = encoder.encodeInto(text, target)
  return decoder.decode(target.subarray(0, written))
}
