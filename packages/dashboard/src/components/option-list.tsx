import { Radio, type RadioGroupProps } from '@mantine/core'
import classes from './option-list.module.css'

export type Option = { value: string; label: string; text: string }

/** A choice whose options have a sentence each. */
export function OptionList({
  options,
  ...props
}: Omit<RadioGroupProps, 'children'> & { options: readonly Option[] }) {
  return (
    <Radio.Group descriptionProps={{ mt: 4 }} {...props}>
      <div className={classes['options']}>
        {options.map(({ value, label, text }) => (
          <Radio
            key={value}
            size="xs"
            value={value}
            label={label}
            description={text}
            classNames={{ root: classes['option'] ?? '', description: classes['text'] ?? '' }}
          />
        ))}
      </div>
    </Radio.Group>
  )
}
