/** A server with one tool, which returns the value of an environment variable. */
import { answerLines } from './answer-lines.mjs'

console.error('The shop is open')
answerLines('shop', {
  'tools/call': () => ({ content: [{ type: 'text', text: process.env.SHOP_API_KEY }] }),
})
