import { Box, Code } from '@mantine/core'
import type { ExtraProps } from 'react-markdown'
import { CopyButton } from '../../components/copy-button.tsx'
import classes from './guide.module.css'
import { TEXTS } from './texts.tsx'

type Node = NonNullable<ExtraProps['node']>

/** A code block with a copy button, scrollable by keyboard. */
export function CodeBlock({ node }: { node: Node | undefined }) {
  const text = node ? textOf(node).trimEnd() : ''
  return (
    <Box className={classes['code']} my="sm">
      <Code block tabIndex={0} fz="xs" p="sm" pr={44}>
        {text}
      </Code>
      <Box className={classes['copy']}>
        <CopyButton value={text} label={TEXTS.copyCode} />
      </Box>
    </Box>
  )
}

function textOf(node: Node | Node['children'][number]): string {
  if (node.type === 'text') return node.value
  return 'children' in node ? node.children.map(textOf).join('') : ''
}
