# Checks vectors from standard input against Perl's 64-bit integers. Prints what differs, and how many were checked.
use strict;
use warnings;

sub compose {
    my $id = 0;
    for (@_) { $id = ($id << $_->[0]) | $_->[1] }
    return $id;
}

sub decode {
    my ($id, @widths) = @_;
    my @values;
    for my $bits (reverse @widths) {
        unshift @values, $id & ((1 << $bits) - 1);
        $id >>= $bits;
    }
    return @values;
}

my $checked = 0;
while (my $line = <STDIN>) {
    chomp $line;
    my ($name, $parts, $decimal, $hex, $binary) = split /\t/, $line;
    my @fields = map { [split /:/] } split /,/, $parts;
    $_->[0] += 0, $_->[1] += 0 for @fields;
    my $id = compose(@fields);
    my %said = (decimal => "$id", hex => sprintf('%016x', $id), binary => sprintf('%064b', $id));
    my %wanted = (decimal => $decimal, hex => $hex, binary => $binary);
    for my $form (sort keys %said) {
        print "$name: $form is $said{$form}, not $wanted{$form}\n" if $said{$form} ne $wanted{$form};
    }
    my $values = join ' ', decode($decimal + 0, map { $_->[0] } @fields);
    print "$name: decodes to $values\n" if $values ne join ' ', map { $_->[1] } @fields;
    $checked++;
}
print "checked $checked\n";
