import { Button, type ButtonProps } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconChevronsLeft } from '@tabler/icons-react'

/** Buttons for the first, previous and next page. Null disables a button. */
export function PageButtons({
  onFirst,
  onPrevious,
  onNext,
}: Record<'onFirst' | 'onPrevious' | 'onNext', (() => void) | null>) {
  const button = (onClick: (() => void) | null, props: ButtonProps & { 'aria-label'?: string }) => (
    <Button
      size="xs"
      variant="default"
      disabled={onClick === null}
      onClick={() => onClick?.()}
      {...props}
    />
  )
  return (
    <>
      {button(onFirst, { 'aria-label': 'First page', children: <IconChevronsLeft size={16} /> })}
      {button(onPrevious, { leftSection: <IconChevronLeft size={16} />, children: 'Previous' })}
      {button(onNext, { rightSection: <IconChevronRight size={16} />, children: 'Next' })}
    </>
  )
}
