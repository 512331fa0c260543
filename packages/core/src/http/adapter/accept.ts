import type { AcceptedRequest, HttpReply, RequestBody } from '../types.ts'

/**
 * Reads the body of an accepted request, within the request's limits. May throw or reject, preferably with a
 * {@link BodyError}. The connection must stay open until the reply has been sent.
 */
export type ReadBody = (accepted: AcceptedRequest) => RequestBody | Promise<RequestBody>

/**
 * Reads the body of an accepted request and handles the request. Returns its first argument unchanged if it
 * is already a reply.
 */
export function answerWith(
  accepted: HttpReply | AcceptedRequest,
  readBody: ReadBody,
): HttpReply | Promise<HttpReply> {
  if ('status' in accepted) return accepted
  const answer = (body: RequestBody | Error): HttpReply | Promise<HttpReply> => accepted.answer(body)
  try {
    const body = readBody(accepted)
    return body instanceof Promise ? body.then(answer, answer) : answer(body)
  } catch (error) {
    return answer(error as Error)
  }
}
