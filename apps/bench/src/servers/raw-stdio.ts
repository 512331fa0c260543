import { ready } from '../serving/control.ts'
import { answerLines } from '../serving/lines.ts'

/** The floor for the time to a first answer: Node starts, and something comes back without being thought about. */
answerLines(() => '{"jsonrpc":"2.0","id":1000000,"result":{}}')
ready()
