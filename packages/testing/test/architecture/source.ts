import { memoize } from '@jetway/core/compose'
import { parseSync, type Node, type ParseResult } from 'oxc-parser'

/** A file in the repository, with its path from the root. The path contains forward slashes. */
export interface Source {
  readonly path: string
  readonly text: string
  readonly program: Node
  readonly comments: ParseResult['comments']
}

export interface Import {
  readonly specifier: string
  /** True for imports that are erased at run time: `import type`, and types in the form `import('…')`. */
  readonly typeOnly: boolean
  /** True for imports in the form `import()`. */
  readonly dynamic?: true
}

export function parseSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text)
  const [error] = errors
  if (error) throw new Error(`${path} does not parse: ${error.message}`)
  return { path, text, program, comments }
}

type Visit = (node: Node, parent: Node | undefined) => void

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

export function walk(node: Node, visit: Visit, parent?: Node): void {
  visit(node, parent)
  for (const value of Object.values(node) as unknown[]) {
    if (isNode(value)) walk(value, visit, node)
    else if (Array.isArray(value)) for (const item of value) if (isNode(item)) walk(item, visit, node)
  }
}

/**
 * Returns every module that a file imports through static and dynamic imports, re-exports and `import('…')`
 * types.
 */
export const importsOf: (source: Source) => readonly Import[] = memoize((source) => {
  const found: Import[] = []
  walk(source.program, (node) => {
    switch (node.type) {
      case 'ImportDeclaration':
        found.push({ specifier: node.source.value, typeOnly: node.importKind === 'type' })
        break
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration':
        if (node.source) found.push({ specifier: node.source.value, typeOnly: node.exportKind === 'type' })
        break
      case 'ImportExpression':
        if (node.source.type === 'Literal')
          found.push({ specifier: String(node.source.value), typeOnly: false, dynamic: true })
        break
      case 'TSImportType':
        found.push({ specifier: node.source.value, typeOnly: true })
        break
    }
  })
  return found
})

/** Counts lines of code, without blank lines and comments. */
export function codeLines(source: Source): number {
  let text = source.text
  for (const { start, end } of source.comments) {
    const blank = text.slice(start, end).replace(/[^\n]/g, ' ')
    text = text.slice(0, start) + blank + text.slice(end)
  }
  return text.split('\n').filter((line) => line.trim() !== '').length
}

/** Returns the text of every string and template in a file. */
export const literalsOf: (source: Source) => readonly string[] = memoize((source) => {
  const found: string[] = []
  walk(source.program, (node) => {
    if (node.type === 'Literal' && typeof node.value === 'string') found.push(node.value)
    if (node.type === 'TemplateElement') found.push(node.value.raw)
  })
  return found
})

/** Returns the variables that a file refers to, including the name in `globalThis.name`, but no property names. */
export const namesUsed: (source: Source) => ReadonlySet<string> = memoize((source) => {
  const found = new Set<string>()
  walk(source.program, (node, parent) => {
    if (node.type === 'Identifier' && !isPropertyName(node, parent)) found.add(node.name)
    if (node.type === 'MemberExpression' && isIdentifier(node.object, 'globalThis')) {
      if (node.property.type === 'Identifier') found.add(node.property.name)
      if (node.property.type === 'Literal') found.add(String(node.property.value))
    }
  })
  return found
})

function isIdentifier(node: Node, name: string): boolean {
  return node.type === 'Identifier' && node.name === name
}

function isPropertyName(node: Node, parent: Node | undefined): boolean {
  if (!parent || ('computed' in parent && parent.computed)) return false
  if (parent.type === 'MemberExpression') return parent.property === node
  if (parent.type === 'Property') return parent.key === node && !parent.shorthand
  return 'key' in parent && parent.key === node
}

/** Returns the names that are declared at the top level of a file, with class members in the form `Class.member`. */
export function namesDeclared(source: Source): Set<string> {
  const { program } = source
  if (program.type !== 'Program') return new Set()
  return new Set(
    program.body.flatMap((statement) => {
      const exported = statement.type === 'ExportNamedDeclaration' ? statement.declaration : undefined
      return namesOf(exported ?? statement)
    }),
  )
}

function namesOf(node: Node): string[] {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return node.id ? [node.id.name] : []
    case 'VariableDeclaration':
      return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
    case 'ClassDeclaration': {
      const name = node.id?.name ?? ''
      return [name, ...node.body.body.flatMap((member) => membersOf(name, member))]
    }
    default:
      return []
  }
}

function membersOf(name: string, member: Node): string[] {
  if (!('key' in member) || !isNode(member.key)) return []
  if (member.key.type === 'Identifier') return [`${name}.${member.key.name}`]
  return member.key.type === 'PrivateIdentifier' ? [`${name}.#${member.key.name}`] : []
}
