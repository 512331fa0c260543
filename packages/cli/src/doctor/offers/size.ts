import type { Tool } from '@jetway/core/protocol'
import type { Finding } from '../finding.ts'
import { fault, ok, warning } from '../verdicts.ts'

/** The maximum number of tools. OpenAI rejects requests with more, so VS Code sends no more. */
const MAX_TOOLS = 128
/**
 * The number of tools above which models choose tools less reliably, according to warnings from Cursor and
 * Amazon Q.
 */
const MANY_TOOLS = 40
const MANY_TOKENS = 20_000
const BYTES_PER_TOKEN = 4

/** Checks the number of tools, and estimates how many tokens they use. */
export function checkSize(tools: readonly Tool[]): readonly Finding[] {
  return [countFinding(tools.length), tokenFinding(tools)]
}

function countFinding(count: number): Finding {
  const advice = 'Offer fewer tools, or split the server'
  if (count > MAX_TOOLS) return fault('tool-count', `${count} tools: hosts send at most ${MAX_TOOLS}`, advice)
  if (count > MANY_TOOLS)
    return warning('tool-count', `${count} tools: some hosts warn about more than ${MANY_TOOLS}`, advice)
  return ok('tool-count', `${count} tools`)
}

function tokenFinding(tools: readonly Tool[]): Finding {
  const sizes = tools.map((tool) => ({ name: tool.name, bytes: Buffer.byteLength(JSON.stringify(tool)) }))
  const bytes = sizes.reduce((sum, each) => sum + each.bytes, 0)
  const tokens = Math.round(bytes / BYTES_PER_TOKEN)
  const evidence = `the tools take about ${tokens} tokens`
  if (tokens <= MANY_TOKENS) return ok('list-size', evidence)
  const largest = sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a))
  return warning(
    'list-size',
    `${evidence}, ${largest.name} about ${Math.round(largest.bytes / BYTES_PER_TOKEN)} of them`,
    'Shorten descriptions and schemas: every request to the model has them',
  )
}
