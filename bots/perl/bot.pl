#!/usr/bin/perl
# A bot in Perl: lines of JSON in, lines of JSON out. JSON::PP comes with Perl, so nothing has to be installed.
#
# In STOP me GO it has one idea: the highest gangster of a round wins it, so it keeps its only stop for a newcomer who is
# bigger than all the others in line, and how big he has to be depends on the seat, for two stops on one gangster are
# none. In other games it takes a legal move.
#
# Try it:   referee run stop_me_go perl patient random

use strict;
use warnings;
use JSON::PP qw(decode_json encode_json);

$| = 1;    # an answer in a buffer is no answer: write out every line at once

# Games in which cards or dice make every match another one. Elsewhere the name of the match counts: else the same bots
# would play the same match for ever.
my %dealt = map { $_ => 1 } qw(encore flip7 stop stop_me_go);
my %salts;

while (my $line = <STDIN>) {
    my $message = decode_json($line);
    $salts{ $message->{match} } = salt($message->{match})
      if $message->{type} eq 'start' and not $dealt{ $message->{game} };
    delete $salts{ $message->{match} } if $message->{type} eq 'end';

    # Questions have a legal list, and so has a refusal that wants another answer. Only questions have a view.
    my $legal = $message->{legal} or next;
    my $view  = $message->{view};
    my $move  = any_move($legal, $message->{decision}, $salts{ $message->{match} });
    $move = stop_or_go($view) if $view and is_stop_me_go($legal);

    print encode_json({ decision => $message->{decision}, move => $move }), "\n";
}

# The games are told apart by their moves: no other has stop and go.
sub is_stop_me_go {
    my ($legal) = @_;
    return join(' ', sort @$legal) eq 'go stop';
}

sub stop_or_go {
    my ($view) = @_;
    my ($newest, @others) = reverse @{ $view->{table} };
    my $worth = $newest == 1 && grep({ $_ == 10 } @others) ? 11 : $newest;    # beside a 10, the 1 wins
    my $wanted = 6 + $view->{seat} % 3;
    for my $other (@others) {
        return 'go' if $other >= $worth;
    }
    return $worth >= $wanted ? 'stop' : 'go';
}

# Another one every time, yet the same in the same match: such a bot can be looked into.
sub any_move {
    my ($legal, $decision, $salt) = @_;
    my $number = $decision * 7919;
    $number = mixed(mixed($number + $salt) + $salt) if $salt;
    return $legal->[ $number % @$legal ];
}

# A number above 0 for a name.
sub salt {
    my ($name) = @_;
    my $sum = 0;
    $sum = ($sum * 71 + $_) % 65521 for unpack 'U*', $name;
    return $sum + 1;
}

sub mixed {
    my ($number) = @_;
    $number %= 65537;
    return ($number * $number + 3 * $number + 74) % 65537;
}
