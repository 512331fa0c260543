/**
 * Checks one workflow, first with GitHub's own parser, which knows the syntax and the expressions, and then
 * with our own rules.
 */
import { register } from 'node:module'
import { isScalar, parseDocument, visit } from 'yaml'
import { checkWorkflow } from './rules.mjs'

register('./json-modules.mjs', import.meta.url)
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } =
  await import('@actions/workflow-parser')

/**
 * @param {string} name the name of the file, such as `ci.yml`
 * @param {string} text
 * @param {import('./rules.mjs').Surroundings} around
 * @returns {Promise<string[]>} problems
 */
export async function lintWorkflow(name, text, around) {
  const syntax = await syntaxErrors(name, text)
  if (syntax.length > 0) return syntax
  const document = parseDocument(text)
  return checkWorkflow(name, document.toJS(), commentsOf(document), around)
}

async function syntaxErrors(name, content) {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
  if (value !== undefined && context.errors.count === 0) await convertWorkflowTemplate(context, value)
  return context.errors.getErrors().map(({ message }) => message)
}

/** Returns the comment after each value of `uses`. */
function commentsOf(document) {
  const comments = new Map()
  visit(document, {
    Pair(_, { key, value }) {
      if (isScalar(key) && key.value === 'uses' && isScalar(value))
        comments.set(value.value, value.comment?.trim())
    },
  })
  return comments
}
