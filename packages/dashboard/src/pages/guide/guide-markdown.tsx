import { Anchor, Box, Code, List, Table, Text, Title } from '@mantine/core'
import { memo } from 'react'
import type { ExtraProps } from 'react-markdown'
import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CopyButton } from '../../components/copy-button.tsx'
import classes from './guide.module.css'
import { headingId, nameCodeBlocks, splitPlaceholders } from './split-guide.ts'

const ITEM = { itemWrapper: classes['item'] ?? '', itemLabel: classes['item'] ?? '' }

const BY_KEYBOARD = { viewportProps: { tabIndex: 0 } }

const COMPONENTS: Components = {
  h3: ({ children }) => (
    <Title
      order={3}
      fz="h4"
      mt="lg"
      mb="xs"
      id={headingId(String(children))}
      tabIndex={-1}
      className={classes['heading'] ?? ''}
    >
      {children}
    </Title>
  ),
  h4: ({ children }) => (
    <Title order={4} fz="sm" mt="lg" mb="xs">
      {children}
    </Title>
  ),
  p: ({ children }) => <Text className={classes['text'] ?? ''}>{children}</Text>,
  a: ({ href, children }) => (
    <Anchor href={href} underline="always">
      {children}
    </Anchor>
  ),
  ul: ({ children }) => (
    <List my="sm" spacing={6} maw="72ch" classNames={ITEM}>
      {children}
    </List>
  ),
  ol: ({ children }) => (
    <List type="ordered" my="sm" spacing={6} className={classes['ordered'] ?? ''} classNames={ITEM}>
      {children}
    </List>
  ),
  li: ({ children }) => <List.Item>{children}</List.Item>,
  pre: ({ node }) => <CodeBlock node={node} />,
  code: ({ children }) => <Code className={classes['inline']}>{children}</Code>,
  table: ({ children }) => (
    <Table.ScrollContainer minWidth={560} my="sm" scrollAreaProps={BY_KEYBOARD}>
      <Table className={classes['table'] ?? ''}>{children}</Table>
    </Table.ScrollContainer>
  ),
  thead: ({ children }) => <Table.Thead>{children}</Table.Thead>,
  tbody: ({ children }) => <Table.Tbody>{children}</Table.Tbody>,
  tr: ({ children }) => <Table.Tr>{children}</Table.Tr>,
  th: ({ children }) => <Table.Th>{children}</Table.Th>,
  td: ({ children }) => <Table.Td>{children}</Table.Td>,
}

/** Markdown rendered with the components of the page. */
export const GuideMarkdown = memo(function GuideMarkdown({ markdown }: { markdown: string }) {
  return (
    <Markdown remarkPlugins={[remarkGfm]} components={COMPONENTS}>
      {nameCodeBlocks(markdown)}
    </Markdown>
  )
})

type Node = NonNullable<ExtraProps['node']>

/** A code block with a copy button, scrollable by keyboard. */
function CodeBlock({ node }: { node: Node | undefined }) {
  const text = node ? textOf(node).trimEnd() : ''
  return (
    <Box className={classes['code']}>
      <div className={classes['codeHead']}>
        <span>{node ? nameOf(node) : ''}</span>
        <CopyButton value={text} label="Copy code" text="Copy" isQuiet />
      </div>
      <Code block tabIndex={0} fz="xs" p="sm" bg="transparent">
        {splitPlaceholders(text).map((part, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
          index % 2 === 1 ? <b key={index}>{part}</b> : part,
        )}
      </Code>
    </Box>
  )
}

function textOf(node: Node | Node['children'][number]): string {
  if (node.type === 'text') return node.value
  return 'children' in node ? node.children.map(textOf).join('') : ''
}

const LANGUAGES: Readonly<Record<string, string>> = { sh: 'Shell', js: 'JavaScript', json: 'JSON' }

/** The file of a code block, otherwise its language; an empty text without one. */
function nameOf({ children: [code] }: Node): string {
  if (code?.type !== 'element') return ''
  const { className } = code.properties
  const [name] = Array.isArray(className) ? className : []
  const word = String(name ?? '').replace('language-', '')
  return code.data?.meta ?? LANGUAGES[word] ?? word
}
