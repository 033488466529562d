import { Anchor, Code, List, Table, Text, Title } from '@mantine/core'
import { memo } from 'react'
import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CodeBlock } from './code-block.tsx'
import classes from './guide.module.css'

const ITEM = { itemWrapper: classes['item'] ?? '', itemLabel: classes['item'] ?? '' }

const BY_KEYBOARD = { viewportProps: { tabIndex: 0 } }

const COMPONENTS: Components = {
  h3: ({ children }) => (
    <Title order={3} fz="h4" mt="lg" mb="xs">
      {children}
    </Title>
  ),
  p: ({ children }) => (
    <Text my="sm" maw="72ch">
      {children}
    </Text>
  ),
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
    <List type="ordered" my="sm" spacing={6} maw="72ch" classNames={ITEM}>
      {children}
    </List>
  ),
  li: ({ children }) => <List.Item>{children}</List.Item>,
  pre: ({ node }) => <CodeBlock node={node} />,
  code: ({ children }) => <Code className={classes['inline']}>{children}</Code>,
  table: ({ children }) => (
    <Table.ScrollContainer minWidth={560} my="sm" scrollAreaProps={BY_KEYBOARD}>
      <Table verticalSpacing="xs">{children}</Table>
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
      {markdown}
    </Markdown>
  )
})
