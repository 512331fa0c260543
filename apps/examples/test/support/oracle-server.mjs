/** A server with one tool, which always gives the same answer. */
import { answerLines } from './answer-lines.mjs'

answerLines('oracle', {
  'tools/list': () => ({ tools: [{ name: 'ask', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: process.argv[2] }] }),
})
