import { isErrorOf } from '../../errors.ts'
import { acceptedValue, actionOf, contentOf } from './decode-response.ts'
import { checkAnswer } from './form.ts'
import { hasResponses, resolveInput } from './rounds.ts'
import type { InputRounds } from './types.ts'
import {
  describeUrls,
  elicitUrls,
  resume,
  toPlainError,
  toUrlError,
  UrlElicitationRequired,
} from './url-elicitation.ts'

/** How calls get input from their clients, in both eras. */
export const inputRounds: InputRounds = {
  begin: (ctx, start) => (hasResponses(ctx) ? resume(ctx, start) : start()),
  resolve: resolveInput,
  elicitUrls,
  readForm: (response, key, schema) => {
    const action = actionOf(response, key)
    if (action !== 'accept') return { action }
    return { action, content: acceptedValue(checkAnswer(schema, key, contentOf(response, key)), key) }
  },
  urlFailure: (error, ctx) => {
    if (!isErrorOf(UrlElicitationRequired, error)) return undefined
    const required = toUrlError(error, ctx)
    return required === undefined
      ? { text: describeUrls(error), error: toPlainError(error, ctx.revision) }
      : { text: undefined, error: required }
  },
}
