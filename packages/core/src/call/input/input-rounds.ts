import { ErrorCode, isErrorOf, McpError, QuestionError } from '../../errors.ts'
import { acceptedValue, actionOf, contentOf, declined } from './inputs.ts'
import { checkAnswer } from './form.ts'
import { resolveInput } from './rounds.ts'
import type { InputContext } from './ask.ts'
import { elicitUrls, resume, UrlElicitationRequired, urlFailure } from './url-elicitation.ts'

/** Obtains input for calls from their clients, in both eras. */
export const inputRounds: InputContext['rounds'] = {
  begin: (ctx, start) =>
    ctx.scope.revision.rounds?.has(ctx.message.method) === true ? resume(ctx, start) : start(),
  resolve: resolveInput,
  elicitUrls,
  isForClient: (error) => isErrorOf(QuestionError, error) || isErrorOf(UrlElicitationRequired, error),
  failure: (error, ctx) => {
    if (!isErrorOf(QuestionError, error)) return urlFailure(error, ctx)
    const text = error.message
    return { text, error: new McpError(ErrorCode.InvalidRequest, text) }
  },
  readForm: (response, key, schema, seesDecline) => {
    const action = actionOf(response, key)
    if (action === 'accept') {
      const content = acceptedValue(checkAnswer(schema, key, contentOf(response, key)), key)
      return seesDecline ? { action, content } : content
    }
    if (seesDecline) return { action }
    throw declined(action, key)
  },
}
