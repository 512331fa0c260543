import { ready } from '../serving/control.ts'
import { answerLines } from '../serving/lines.ts'

/** The lower bound for the time to a first response: Node starts and sends a constant. */
answerLines(() => '{"jsonrpc":"2.0","id":1000000,"result":{}}')
ready()
