/** Creates the mutants of a source file. */
import { parseSync, Visitor } from 'oxc-parser'

const OTHER = {
  '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>', '&&': '||', '||': '&&', '??': '&&',
  '+': '-', '-': '+', '*': '/', '/': '*', '+=': '-=', '-=': '+=', '++': '--', '--': '++',
} // prettier-ignore

/**
 * @param {string} file the file's path, which each mutant contains
 * @param {string} source
 * @returns {{ file: string, line: number, start: number, end: number, from: string, to: string }[]}
 */
export function mutantsOf(file, source) {
  const mutants = []
  /** Types also contain literals, but these never run. */
  const types = []
  /**
   * Tables of option names. Their readers use only the keys, and whether a value is a group, so replacing a
   * number or boolean in them does not affect the program.
   */
  const names = []
  const text = ({ start, end }) => source.slice(start, end)
  const replace = (node, to) => {
    const line = source.slice(0, node.start).split('\n').length
    const from = text(node).replaceAll(/\s+/g, ' ').slice(0, 60)
    mutants.push({ file, line, start: node.start, end: node.end, from, to })
  }
  /** The operator of a binary expression, wherever the formatter has placed it. */
  const operator = ({ operator: old, left, right }) => {
    const start = source.indexOf(old, left.end)
    if (OTHER[old] !== undefined && start >= 0 && start < right.start)
      replace({ start, end: start + old.length }, OTHER[old])
  }
  const visitor = new Visitor({
    BinaryExpression: operator,
    LogicalExpression: operator,
    AssignmentExpression: operator,
    UpdateExpression: (node) => replace(node, text(node).replace(node.operator, OTHER[node.operator])),
    UnaryExpression: (node) => {
      if (node.operator === '!') replace(node, text(node.argument))
    },
    Literal: (node) => {
      if (typeof node.value === 'boolean') replace(node, `${!node.value}`)
      else if (typeof node.value === 'number') replace(node, `${node.value + 1}`)
    },
    IfStatement: ({ test }) => {
      replace(test, 'false')
      replace(test, 'true')
    },
    ConditionalExpression: ({ test }) => {
      replace(test, 'false')
      replace(test, 'true')
    },
    ExpressionStatement: (node) => {
      if (node.expression.type.endsWith('CallExpression') || node.expression.type === 'AwaitExpression')
        replace(node, 'void 0;')
    },
    TSLiteralType: (node) => types.push(node),
    VariableDeclarator: ({ id, init }) => {
      const isTable = id.typeAnnotation?.typeAnnotation.typeName?.name === 'OptionNames'
      if (isTable && init?.type === 'ObjectExpression') names.push(init)
    },
    ReturnStatement: ({ argument }) => {
      if (argument?.type.endsWith('CallExpression')) replace(argument, 'undefined')
    },
  })
  visitor.visit(parseSync(file, source).program)
  const inert = [...types, ...names]
  return mutants.filter(({ start }) => !inert.some((part) => part.start <= start && start < part.end))
}
