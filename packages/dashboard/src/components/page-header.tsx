import { Group, Text, Title } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { type ReactNode, useEffect } from 'react'
import { useInboxCount } from '../api/inbox.ts'
import { PageLink } from './page-link.tsx'

/** Sets the title of the browser tab, which begins with the number of items in the inbox. */
export function useTabTitle(title: string): void {
  const count = useInboxCount()
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} · Recordhub`
  }, [title, count])
}

/** A link above the title of a page, to the list that contains what the page shows. */
export function BackLink({ to, children }: { to: string; children: string }) {
  return (
    <PageLink to={to} size="sm" c="dimmed">
      <IconChevronLeft size={14} aria-hidden style={{ verticalAlign: '-2px' }} /> {children}
    </PageLink>
  )
}

/**
 * The title of a page, which is also the title of the browser tab, with the actions of the page. The title of one thing,
 * such as a pull, is larger than that of a list, and has its description below.
 */
export function PageHeader(props: {
  title: string
  description?: ReactNode
  isOfOne?: boolean
  /** The description is below the title. */
  isBelow?: boolean
  children?: ReactNode
}) {
  const { title, description, isOfOne = false, isBelow = isOfOne, children } = props
  useTabTitle(title)
  return (
    <Group justify="space-between" align="flex-start" gap="sm" mb="md">
      <Group gap="0 8px" align="baseline" maw="100%" display={isBelow ? 'block' : 'flex'}>
        <Title order={1} {...(isOfOne ? {} : { fz: 'h2' })}>
          {title}
        </Title>
        {description && (
          <Text size="sm" c="dimmed">
            {description}
          </Text>
        )}
      </Group>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  )
}
