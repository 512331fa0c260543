/** One tool, which answers every question the same. */
import { answerLines } from './answer-lines.mjs'

answerLines('oracle', {
  'tools/list': () => ({ tools: [{ name: 'ask', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: process.argv[2] }] }),
})
