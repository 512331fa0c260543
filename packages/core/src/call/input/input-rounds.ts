import { acceptedValue, actionOf, contentOf } from './inputs.ts'
import { checkAnswer } from './form.ts'
import { resolveInput } from './rounds.ts'
import type { InputContext } from './ask.ts'
import { isErrorOf } from '../../errors.ts'
import { elicitUrls, resume, UrlElicitationRequired, urlFailure } from './url-elicitation.ts'

/** How calls get input from their clients, in both eras. */
export const inputRounds: InputContext['rounds'] = {
  begin: (ctx, start) =>
    ctx.scope.revision.rounds?.methods.has(ctx.message.method) === true ? resume(ctx, start) : start(),
  resolve: resolveInput,
  elicitUrls,
  urlFailure,
  requiresUrls: (error) => isErrorOf(UrlElicitationRequired, error),
  readForm: (response, key, schema) => {
    const action = actionOf(response, key)
    if (action !== 'accept') return { action }
    return { action, content: acceptedValue(checkAnswer(schema, key, contentOf(response, key)), key) }
  },
}
