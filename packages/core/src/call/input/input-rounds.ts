import { acceptedValue, actionOf, contentOf } from './inputs.ts'
import { checkAnswer } from './form.ts'
import { resolveInput } from './rounds.ts'
import type { InputContext } from './ask.ts'
import { elicitUrls, resume, urlFailure } from './url-elicitation.ts'

/** Obtains input for calls from their clients, in both eras. */
export const inputRounds: InputContext['rounds'] = {
  begin: (ctx, start) =>
    ctx.scope.revision.rounds?.methods.has(ctx.message.method) === true ? resume(ctx, start) : start(),
  resolve: resolveInput,
  elicitUrls,
  urlFailure,
  readForm: (response, key, schema) => {
    const action = actionOf(response, key)
    if (action !== 'accept') return { action }
    return { action, content: acceptedValue(checkAnswer(schema, key, contentOf(response, key)), key) }
  },
}
