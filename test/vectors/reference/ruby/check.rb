# Checks vectors from standard input against Ruby's integers. Prints what differs, and how many were checked.

def compose(fields)
  fields.reduce(0) { |id, (bits, value)| (id << bits) | value }
end

def decode(id, widths)
  values = widths.reverse.map do |bits|
    value = id & ((1 << bits) - 1)
    id >>= bits
    value
  end
  values.reverse
end

checked = 0
$stdin.each_line(chomp: true) do |line|
  name, parts, decimal, hex, binary = line.split("\t")
  fields = parts.split(',').map { |part| part.split(':').map(&:to_i) }
  id = compose(fields)
  wanted = { 'decimal' => decimal, 'hex' => hex, 'binary' => binary }
  said = { 'decimal' => id.to_s, 'hex' => format('%016x', id), 'binary' => format('%064b', id) }
  said.each { |form, text| puts "#{name}: #{form} is #{text}, not #{wanted[form]}" if text != wanted[form] }
  values = decode(decimal.to_i, fields.map(&:first))
  puts "#{name}: decodes to #{values}" if values != fields.map(&:last)
  checked += 1
end
puts "checked #{checked}"
