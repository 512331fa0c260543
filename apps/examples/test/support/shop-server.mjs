/** One tool, which tells what it was given in its environment. */
import { answerLines } from './answer-lines.mjs'

console.error('The shop is open')
answerLines('shop', {
  'tools/call': () => ({ content: [{ type: 'text', text: process.env.SHOP_API_KEY }] }),
})
